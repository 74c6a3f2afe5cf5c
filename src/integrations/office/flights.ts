/** Work that several callers want at the same time is done once, and ended when the last of them has gone. */

export interface Flights<Result> {
  /** `joined` when the work was under way already. */
  join(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly joined: boolean }>;
}

interface Flight<Result> {
  readonly result: Promise<Result>;
  readonly controller: AbortController;
  waiting: number;
}

export function createFlights<Result>(): Flights<Result> {
  const flights = new Map<string, Flight<Result>>();

  function start(key: string, work: (signal: AbortSignal) => Promise<Result>): Flight<Result> {
    const controller = new AbortController();
    const result = work(controller.signal).finally(() => {
      if (flights.get(key) === flight) flights.delete(key);
    });
    const flight: Flight<Result> = { result, controller, waiting: 0 };
    flights.set(key, flight);
    return flight;
  }

  return {
    async join(key, signal, work) {
      signal.throwIfAborted();
      const joined = flights.has(key);
      const flight = flights.get(key) ?? start(key, work);
      flight.waiting += 1;
      const gone = (): void => {
        flight.waiting -= 1;
        if (flight.waiting > 0) return;
        if (flights.get(key) === flight) flights.delete(key);
        flight.controller.abort(signal.reason);
      };
      signal.addEventListener('abort', gone, { once: true });
      try {
        return { result: await flight.result, joined };
      } finally {
        signal.removeEventListener('abort', gone);
      }
    },
  };
}
