/** An office suite: whether it is there, and conversion of documents. */
import { z } from 'zod';

export const OFFICE_TARGETS = [
  'pdf',
  'pdf_sheets',
  'png',
  'svg',
  'docx',
  'xlsx',
  'pptx',
  'odt',
  'ods',
  'odp',
  'odg',
  'html',
  'txt',
  'csv',
] as const;
export type OfficeTarget = (typeof OFFICE_TARGETS)[number];

/** The isolation of a conversion: without files outside its folder and network, without network, or not isolated. */
const zOfficeIsolation = z.enum(['files_and_network', 'network', 'settings_only']);
export type OfficeIsolation = z.infer<typeof zOfficeIsolation>;

export const zOfficeStatus = z.object({
  state: z
    .enum(['checking', 'ready', 'missing', 'configured_invalid', 'broken'])
    .describe('Whether a converter can be used, and if not, why.'),
  path: z.string().nullable().describe('The program in use; null without one.'),
  version: z.string().nullable().describe('Version of the program; null without one.'),
  configured_path: z.string().nullable().describe('The path that is set; null when the program is looked for.'),
  detail: z.string().describe('One sentence for a person.'),
  install_hint: z.string().nullable().describe('How to install a converter; null when there is one.'),
  isolation: zOfficeIsolation
    .nullable()
    .describe('What a conversion cannot reach; `settings_only`: it is not isolated. null without a converter.'),
  /** Unix time in milliseconds of the probe; null before the first one. */
  checked_at: z.int().nullable(),
});
export type OfficeStatus = Readonly<z.infer<typeof zOfficeStatus>>;

export interface ConversionRequest {
  /** Names the folder and the processes of the job; unique. */
  readonly id: string;
  readonly path: string;
  /** Base of a relative `path`. */
  readonly base: string;
  readonly target: OfficeTarget;
  readonly timeoutSeconds: number;
  readonly configuredPath: string | null;
}

export interface Conversion {
  /** Absolute path of the result. */
  readonly output: string;
  readonly bytes: number;
  readonly cached: boolean;
  readonly engine_version: string;
}

export interface OfficePort {
  /** File name extensions of inputs: lower case, without dot, sorted. */
  readonly importExtensions: readonly string[];
  /** The cached status. Starts a probe in the background when it is missing or old. */
  known(configuredPath: string | null): OfficeStatus;
  /** Probes the converter, not the cache. */
  probe(configuredPath: string | null): Promise<OfficeStatus>;
  /** Probes a path that is to be configured. Throws `PortError` when no converter starts there. */
  check(path: string): Promise<OfficeStatus>;
  /**
   * Converts a document. Throws `PortError` and the signal's reason. When it settles, no process of it is alive.
   */
  convert(request: ConversionRequest, signal: AbortSignal): Promise<Conversion>;
  close(): Promise<void>;
}
