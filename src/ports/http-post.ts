/** One POST to an external service: a witness or a time stamping authority. */

export interface PostReply {
  readonly status: number;
  readonly body: Buffer;
}

export interface PostRequest {
  readonly url: string;
  /** The `Content-Type` of the body. */
  readonly type: string;
  readonly body: Uint8Array;
}

/**
 * Rejects when there is no answer within 10 s, or one of more than 64 KiB; the message is a sentence. Follows no
 * redirect.
 */
export type HttpPost = (request: PostRequest) => Promise<PostReply>;
