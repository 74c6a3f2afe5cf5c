/** Why a port does not do what was asked, in the terms of the caller; each has one HTTP status. `busy` may pass soon. */
export type PortFault =
  | 'invalid'
  | 'forbidden'
  | 'not_found'
  | 'too_large'
  | 'unsupported'
  | 'unsupported_media'
  | 'failed'
  | 'bad_output'
  | 'unavailable'
  | 'busy'
  | 'timed_out';

/** The message is for the caller and contains no secret. */
export class PortError extends Error {
  override readonly name: string = 'PortError';
  readonly fault: PortFault;

  constructor(fault: PortFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
