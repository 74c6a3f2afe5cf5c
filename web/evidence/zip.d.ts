/** The files of the container by name. Throws for any container that the writer would not make. */
export function readZip(bytes: Uint8Array): Map<string, Uint8Array>;
