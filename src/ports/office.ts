/** What Daybook needs of an office suite: is it there, and turn one document into another format. */

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

/** What a conversion is kept away from: everything but its own folder, the network, or neither. */
export const OFFICE_ISOLATIONS = ['files_and_network', 'network', 'settings_only'] as const;
export type OfficeIsolation = (typeof OFFICE_ISOLATIONS)[number];

export interface OfficeStatus {
  readonly state: OfficeState;
  /** The program in use; null while there is none. */
  readonly path: string | null;
  readonly version: string | null;
  /** The owner's override; null while the program is looked for. */
  readonly configured_path: string | null;
  /** One sentence for a person. */
  readonly detail: string;
  /** How to get a converter; null when there is one. */
  readonly install_hint: string | null;
  readonly isolation: OfficeIsolation | null;
  /** Unix time in milliseconds of the probe; null before the first one. */
  readonly checked_at: number | null;
}

export interface ConversionRequest {
  /** Names the job's folder and its processes. */
  readonly id: string;
  readonly path: string;
  /** What a relative path is resolved against. */
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
  /** File name extensions it reads, lower case, without dot, sorted. */
  readonly importExtensions: readonly string[];
  /** What is known without waiting; starts a probe when that is nothing or old. */
  known(configuredPath: string | null): OfficeStatus;
  /** A fresh look. */
  probe(configuredPath: string | null): Promise<OfficeStatus>;
  /** A fresh look at a path that shall become the override. Throws `DocumentError` when it cannot start. */
  check(path: string): Promise<OfficeStatus>;
  /** Throws `DocumentError`; when it settles, nothing that it started is alive. */
  convert(request: ConversionRequest, signal: AbortSignal): Promise<Conversion>;
  close(): Promise<void>;
}
