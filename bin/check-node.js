// First line of every npm script that needs it: a missing Node 24 would otherwise show as a crash somewhere else.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `Node 24 or newer is needed; this is ${process.versions.node}. Run npm ci: it brings one along.\n`,
  );
  process.exit(2);
}
