/**
 * The newest answers with secrets to requests with an `Idempotency-Key`. They end with the process, those that repeat
 * texts of the log with the next erasure. A repeat after that is computed again.
 */
import { bodyHash, type KeyedRequest, otherBody } from './recorded-answer.ts';
import type { Answer } from './route.ts';

const ANSWERS_MAX = 1_000;
/** Limit of the characters of all answers as JSON: one answer of `POST /memory/query` may have millions. */
export const SECRET_CHARACTERS_MAX = 33_554_432;

interface SecretAnswer {
  /** The hash of the request's body. */
  readonly body: string;
  readonly answer: Answer;
  readonly characters: number;
  readonly isUntilErasure: boolean;
}

export class SecretAnswers {
  /** By the id of the request, oldest first. */
  readonly #answers = new Map<string, SecretAnswer>();
  #characters = 0;
  #erasures = 0;

  /** Number of erasures that were noted. */
  get erasures(): number {
    return this.#erasures;
  }

  /** Throws 409 when the request has another body. */
  find(id: string, { body }: KeyedRequest): Answer | null {
    const secret = this.#answers.get(id);
    if (secret !== undefined && secret.body !== bodyHash(body)) throw otherBody();
    return secret?.answer ?? null;
  }

  /** `erasures`: their number when the work on the answer began, which may have read what is erased now. */
  keep(
    id: string,
    { body, route }: KeyedRequest,
    { answer, erasures = this.#erasures }: { readonly answer: Answer; readonly erasures?: number },
  ): void {
    const isUntilErasure = route.secretAnswer === 'until_erasure';
    if (isUntilErasure && erasures !== this.#erasures) return;
    const characters = JSON.stringify(answer).length;
    this.#answers.set(id, { body: bodyHash(body), answer, characters, isUntilErasure });
    this.#characters += characters;
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= ANSWERS_MAX && this.#characters <= SECRET_CHARACTERS_MAX) return;
      this.#drop(oldest);
    }
  }

  noteErasure(): void {
    this.#erasures += 1;
    for (const [id, { isUntilErasure }] of this.#answers) if (isUntilErasure) this.#drop(id);
  }

  #drop(id: string): void {
    this.#characters -= this.#answers.get(id)!.characters;
    this.#answers.delete(id);
  }
}
