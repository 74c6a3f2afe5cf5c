/** What can be wrong with a document that a client named by its path; shared by the ports that read such files. */

export type DocumentFault =
  | 'invalid'
  | 'forbidden'
  | 'not_found'
  | 'too_large'
  | 'unsupported'
  | 'unsupported_media'
  | 'bad_output'
  | 'unavailable'
  | 'busy'
  | 'timed_out';

/** The message is for the caller: it names no path, except names from the house's own list of credential stores. */
export class DocumentError extends Error {
  readonly fault: DocumentFault;

  constructor(fault: DocumentFault, message: string) {
    super(message);
    this.name = 'DocumentError';
    this.fault = fault;
  }
}
