/** Why `fetch` got no response: the code of the error of the connection, else its message. */
export function fetchFault(error: unknown): string {
  const { cause, message } = error as Error & { readonly cause?: Error & { readonly code?: string } };
  return cause?.code ?? cause?.message ?? message;
}
