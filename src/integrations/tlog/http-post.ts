/** POST requests to witnesses and time stamping authorities, with Node's own fetch. */
import { fetchFault, readBytes } from '../../lib/fetched.ts';
import type { HttpPost } from '../../ports/http-post.ts';

const ANSWER_MS_MAX = 10_000;
const ANSWER_BYTES_MAX = 65_536;

export const httpPost: HttpPost = async ({ url, type, body }) => {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const init = { method: 'POST', headers: { 'content-type': type }, body: Buffer.from(body), signal } as const;
    const response = await fetch(url, { ...init, redirect: 'manual' });
    return { status: response.status, body: await readBytes(response, ANSWER_BYTES_MAX) };
  } catch (error) {
    const isLate = (error as Error).name === 'TimeoutError';
    const why = isLate ? `no answer in ${ANSWER_MS_MAX / 1_000} s` : fetchFault(error);
    throw new Error(`${new URL(url).host} cannot be asked: ${why}.`);
  }
};
