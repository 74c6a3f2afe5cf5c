/** PDF rendering of three kinds of documents. Equal documents give equal bytes. */

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
  | {
      readonly kind: 'step';
      readonly number: number;
      readonly tool: string;
      readonly success: boolean;
      /** Input and output of the tool, shown as code. */
      readonly input?: string;
      readonly output?: string;
    };

/** A text file: markdown is rendered, anything else is printed with line numbers. */
export interface TextDocument {
  readonly kind: 'markdown' | 'source';
  readonly title: string;
  readonly text: string;
}

export interface FileRequest {
  readonly path: string;
  /** Base of a relative `path`. */
  readonly base: string;
  /** The folder that must contain the file, after links are resolved. */
  readonly workspace: string;
}

export interface PdfPort {
  /** Reads a text file of the workspace. Throws `PortError`. */
  read(file: FileRequest): Promise<TextDocument>;
  /** The PDF file. Throws `PortError` when the document takes too long or is too large, and when too many wait. */
  render(document: PdfDocument, signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}
