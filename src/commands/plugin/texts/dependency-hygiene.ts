/** The skill dependency-hygiene. */

export const DEPENDENCY_HYGIENE = `# Dependency hygiene

A dependency is code that you run, ship and answer for without having written it. Decide on each with open
eyes, and keep the list short enough to know.

## Before adding one

1. **Say what it is needed for**, in one sentence, and how much of it. For a function of twenty lines write
   the twenty lines, with a test. For cryptography, time zones, Unicode, parsers of real formats and
   protocols take the library.
2. **Look at what is there already**: the standard library of the version that the project runs on, and what
   the project already depends on, also indirectly.
3. **Compare two or three** candidates, and write down why this one:

   - maintained: a release within a year, issues answered, more than one person, a policy for security
     reports;
   - used: known projects rely on it for the same purpose; download numbers alone prove little;
   - fitting: language version, module format, platforms, types, browser or server;
   - small: what does it bring with it? Count the packages, the bytes installed and the time it takes to
     load;
   - licence: of it and of all it brings; compatible with how the project is shipped;
   - quiet: no install scripts, no downloads at run time, no telemetry; if it has them, say so.

4. **Check the name twice.** Typing mistakes and invented names are how malicious packages come in. Take the
   name from the project's own site or repository, see that the registry's page links back to it, and never
   install a package only because an answer, a model or an error message mentioned it.
5. Look for known vulnerabilities (the audit command of the package manager, the advisories of the
   ecosystem).

Without network or permission to install: stop and ask. Do not vendor a copy from somewhere instead.

## Adding it

- With the package manager, never by editing the lock file by hand. Commit the manifest and the lock file
  together.
- Exact or bounded version as the project does it. Development tools go to the development dependencies.
- Read the diff of the lock file: are the new packages those you expected, from the registry you expected,
  with checksums?
- Behind a small interface of your own if it touches many places or might be changed; directly where it is
  used once.
- Note the licence where the project keeps such notes.

## Updating

- One package, or one group that belongs together, per change; never "everything" in the same change as a
  feature.
- Read the change log between the two versions: removed, changed defaults, minimum versions, security.
  Search the code for what it names.
- Patch and minor updates of many packages: update, run everything, look at the lock file's diff for new
  packages and new maintainers of old ones.
- Major: do the migration guide step by step; first everything that works in both versions, then the switch.
- Let a fresh release rest for some days, unless it mends a hole that concerns you. Bad releases are found
  in that time.
- Pin something back only with a comment that says why, and what must be true for the pin to go.

## When a vulnerability is reported

1. Is the package in what is shipped, or only in the tools? Is the vulnerable function reached, with input
   from outside?
2. Update to the fixed version. If an indirect one holds it back, update the one above; an override is a
   last resort, with a comment.
3. No fix yet: turn the feature off, check the input in front, or replace it. Write down until when and who
   looks again.
4. Say plainly what was affected and what was not. "The audit is green" is no answer to "were we open?"

## Removing

Now and then look for what nobody imports any more, for two libraries with one purpose, for what the
standard library can do by now. Remove the package, its types, its configuration, its mention in
documentation and build files; then install from nothing and run everything.

## In the report

Name each package added, updated or removed with its versions, why, what it brings along, its licence, and
what you looked at. Name what you could not check.
`;
