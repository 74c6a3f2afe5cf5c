/** Errors of documents that a client names by path; shared by the ports that read such files. */

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

/**
 * A document cannot be used. The message is for the caller and names no path, except names from the list of credential
 * stores.
 */
export class DocumentError extends Error {
  readonly fault: DocumentFault;

  constructor(fault: DocumentFault, message: string) {
    super(message);
    this.name = 'DocumentError';
    this.fault = fault;
  }
}
