/** What Daybook needs of PDF: documents of three kinds in, bytes out, the same bytes for the same document. */

export type PdfDocument = ConversationDocument | TextDocument;

export interface ConversationDocument {
  readonly kind: 'conversation';
  readonly title: string;
  /** Name and value, shown under the title. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly entries: readonly ConversationEntry[];
  /** Unix time in milliseconds. */
  readonly created_ms: number;
  readonly changed_ms: number;
}

export type ConversationEntry =
  | { readonly kind: 'message'; readonly speaker: string; readonly format: 'plain' | 'markdown'; readonly text: string }
  | { readonly kind: 'step'; readonly number: number; readonly tool: string; readonly success: boolean };

/** A file: markdown is set as it is meant, anything else line by line with numbers. */
export interface TextDocument {
  readonly kind: 'markdown' | 'source';
  readonly title: string;
  readonly text: string;
}

export interface FileRequest {
  readonly path: string;
  /** What a relative path is resolved against. */
  readonly base: string;
  /** The folder that the file must be in, after links. */
  readonly workspace: string;
}

export interface PdfPort {
  /** Reads a text file of the workspace as a document. Throws `DocumentError`. */
  read(file: FileRequest): Promise<TextDocument>;
  /** Throws `DocumentError` when it takes too long, is too large or too many wait. */
  render(document: PdfDocument, signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}
