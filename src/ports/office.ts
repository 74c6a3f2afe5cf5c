/** An office suite: whether it is there, and conversion of documents. */

export const OFFICE_STATES = ['checking', 'ready', 'missing', 'configured_invalid', 'broken'] as const;
export type OfficeState = (typeof OFFICE_STATES)[number];

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
export const OFFICE_ISOLATIONS = ['files_and_network', 'network', 'settings_only'] as const;
export type OfficeIsolation = (typeof OFFICE_ISOLATIONS)[number];

export interface OfficeStatus {
  readonly state: OfficeState;
  /** The program in use; null while there is none. */
  readonly path: string | null;
  readonly version: string | null;
  /** The configured path; null when the program is looked for. */
  readonly configured_path: string | null;
  /** One sentence for a person. */
  readonly detail: string;
  /** How to install a converter; null when there is one. */
  readonly install_hint: string | null;
  readonly isolation: OfficeIsolation | null;
  /** Unix time in milliseconds of the probe; null before the first one. */
  readonly checked_at: number | null;
}

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
  /** Probes a path that is to be configured. Throws `DocumentError` when no converter starts there. */
  check(path: string): Promise<OfficeStatus>;
  /**
   * Converts a document. Throws `DocumentError` and the signal's reason. When it settles, no process of it is alive.
   */
  convert(request: ConversionRequest, signal: AbortSignal): Promise<Conversion>;
  close(): Promise<void>;
}
