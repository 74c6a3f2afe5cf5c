/** What a bundle claims to be about. */
export interface Subject {
  readonly kind: 'engagement' | 'run' | 'goal' | 'stream' | 'positions';
  readonly id: string;
}

export interface VerifiedBundle {
  readonly ok: true;
  readonly origin: string;
  /** The verifier key that signed the bundle. */
  readonly vkey: string;
  /** The caller named a key that signed the bundle, or that leads to the one that did. */
  readonly isTrusted: boolean;
  /** Changes of the key from the trusted one to that of the bundle. */
  readonly keyChanges: number;
  /** Of the checkpoint. */
  readonly size: number;
  /** Base64. */
  readonly root: string;
  readonly subject: Subject;
  /** The erased ones too. */
  readonly events: number;
  readonly erased: number;
  readonly streams: readonly { readonly stream: string; readonly events: number; readonly whole: boolean }[];
  /** What a goal or a run refers to; empty for other subjects, and in bundles that were made before there was this list. */
  readonly related: readonly {
    readonly stream: string;
    readonly relation: 'run' | 'origin' | 'engagement';
    /** Of the event that refers to it. */
    readonly position: number;
    /** False: the log has no such stream. */
    readonly included: boolean;
  }[];
  readonly files: { readonly listed: number; readonly included: number };
  /** The size of the checkpoint that the reader holds, which the log continues; null without one. */
  readonly continues: { readonly size: number } | null;
  /** When each witness that the reader named cosigned the checkpoint, Unix seconds. */
  readonly cosigned: readonly { readonly vkey: string; readonly seconds: number }[];
}

export interface FaultyBundle {
  readonly ok: false;
  readonly fault: {
    readonly code: string;
    /** A file, an event or a stream. */
    readonly where: string;
    /** A sentence for a reader who is no programmer. */
    readonly what: string;
  };
}

/** Answers `make()`, which depends on `content` alone; it may answer what it got for the same kind, place and content before. */
export type Once = <Value>(
  kind: string,
  place: string | number,
  content: string | Uint8Array,
  make: () => Value,
) => Value;

export interface VerifyOptions {
  /** A checkpoint (signed note) that the reader got earlier. */
  readonly held?: string | undefined;
  /** Verifier keys of witnesses that must have cosigned the checkpoint. */
  readonly witnesses?: readonly string[] | undefined;
  /** Default: makes everything anew. */
  readonly once?: Once | undefined;
}

export function verifyBundle(
  bytes: Uint8Array,
  trusted?: string,
  options?: VerifyOptions,
): Promise<VerifiedBundle | FaultyBundle>;

/** The same of the files of a bundle, which were read from its container. */
export function verifyFiles(
  files: ReadonlyMap<string, Uint8Array>,
  trusted?: string,
  options?: VerifyOptions,
): Promise<VerifiedBundle | FaultyBundle>;
