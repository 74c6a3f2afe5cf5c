// Runs first in every npm script that needs Node 24: without it, an older Node would crash somewhere less obvious.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `Node 24 or newer is needed; this is ${process.versions.node}. Run npm ci: it brings one along.\n`,
  );
  process.exit(2);
}
