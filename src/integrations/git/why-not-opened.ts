/** Why git did not open a repository: its message in other words, because it would show paths. */

export function whyNotOpened(stderr: string): string {
  if (stderr.includes('dubious ownership')) {
    return (
      'The repository belongs to another user, so git does not read it. If you trust it, name its directory: ' +
      'git config --global --add safe.directory DIRECTORY.'
    );
  }
  if (stderr.includes('not a git repository')) return 'This is not inside a git repository.';
  if (stderr.includes('cannot use bare repository')) {
    return 'It is a bare repository, and safe.bareRepository tells git not to use those.';
  }
  return 'git cannot open the repository around it: its configuration or its format is not one that git reads.';
}
