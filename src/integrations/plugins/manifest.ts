/** The manifest of a plugin: creates and signs it, reads and checks it. docs/formats/plugin.md defines its bytes. */
import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import { parsedJson } from '../../lib/json-text.ts';
import { type PluginDraft, zPluginComponent, zPluginFacts } from '../../ports/plugins.ts';
import { fingerprint, isP256, type Signer } from './signer.ts';

export const MANIFEST_FILE = 'plugin.json';
export const SIGNATURE_FILE = 'plugin.sig';
export const MANIFEST_BYTES_MAX = 65_536;
export const SIGNATURE_BYTES_MAX = 256;
export const FILE_BYTES_MAX = 262_144;
const COMPONENTS_MAX = 64;
const ALGORITHM = 'ecdsa-p256-sha256';

const zComponent = z
  .strictObject({
    ...zPluginComponent.shape,
    bytes: z.int().min(0).max(FILE_BYTES_MAX),
    sha256: z.string(),
  })
  .refine(({ kind, name, file }) => file === fileOf(kind, name));

const zManifest = z.strictObject({
  format: z.literal(1),
  ...zPluginFacts.shape,
  components: z.array(zComponent).max(COMPONENTS_MAX),
  publisher: z.strictObject({ algorithm: z.literal(ALGORITHM), public_key: z.base64() }),
});
export type Manifest = z.infer<typeof zManifest>;

/** The files of a plugin, by path below its folder. */
export interface WrittenPlugin {
  readonly manifest: Manifest;
  readonly files: ReadonlyMap<string, Buffer>;
}

export function writtenPlugin(draft: PluginDraft, signer: Signer): WrittenPlugin {
  const { name, title, version, description, category, components: drafts, includes, connectors } = draft;
  const files = new Map<string, Buffer>();
  const components = drafts.map(({ text, ...component }) => {
    const bytes = Buffer.from(text);
    const file = fileOf(component.kind, component.name);
    files.set(file, bytes);
    return { ...component, file, bytes: bytes.length, sha256: fingerprint(bytes) };
  });
  const publisher = { algorithm: ALGORITHM, public_key: signer.publicKey.toString('base64') } as const;
  const manifest: Manifest = {
    format: 1,
    name,
    title,
    version,
    description,
    category,
    components,
    includes,
    connectors,
    publisher,
  };
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  files.set(MANIFEST_FILE, bytes);
  files.set(SIGNATURE_FILE, signatureFile(signer.sign(bytes)));
  return { manifest, files };
}

/** The manifest, or the fault of the manifest or of its signature. */
export function signedManifest(name: string, bytes: Buffer, signature: Buffer): Manifest | string {
  const json = parsedJson(bytes.toString('utf8'));
  if (json === undefined) return `${MANIFEST_FILE} is no JSON`;
  const parsed = zManifest.safeParse(json);
  if (!parsed.success) return `${MANIFEST_FILE} is not a manifest of this format`;
  const manifest = parsed.data;
  if (!isSigned(manifest, bytes, signature)) return `the signature does not hold for ${MANIFEST_FILE}`;
  return manifest.name === name ? manifest : `it is signed as ${manifest.name}`;
}

export function publisherOf({ publisher }: Manifest): string {
  return fingerprint(Buffer.from(publisher.public_key, 'base64'));
}

function isSigned({ publisher }: Manifest, bytes: Buffer, signature: Buffer): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publisher.public_key, 'base64'), format: 'der', type: 'spki' });
    const decoded = Buffer.from(signature.toString('latin1'), 'base64');
    // The decoder skips other characters, so different files would decode to the same signature.
    if (!signature.equals(signatureFile(decoded))) return false;
    return isP256(key) && verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, decoded);
  } catch {
    return false;
  }
}

function signatureFile(signature: Buffer): Buffer {
  return Buffer.from(`${signature.toString('base64')}\n`);
}

function fileOf(kind: 'skill' | 'rule', name: string): string {
  return `${kind}s/${name}.md`;
}
