/** The files of the container by name. Throws for any container that the writer would not make. */
export function readZip(bytes: Uint8Array): Map<string, Uint8Array>;
/** CRC-32 of zip files, as browsers compute it. */
export function crc32InScript(bytes: Uint8Array): number;
