/** Calls from one thread to another over a MessagePort. Both ends may serve calls and make them, over the same port. */
import { errorOf, type Thrown, thrownBy } from './thrown.ts';

/** What a thread does for the other one, by name. Arguments and results are copied. */
export type CallHandlers = { readonly [name: string]: (...args: never[]) => unknown };
/** The same functions, as the other thread calls them. */
export type Calls<Served extends CallHandlers> = {
  readonly [Name in keyof Served]: (...args: Parameters<Served[Name]>) => Promise<Awaited<ReturnType<Served[Name]>>>;
};

type Message =
  | { readonly kind: 'call'; readonly number: number; readonly name: string; readonly args: never[] }
  | { readonly kind: 'result'; readonly number: number; readonly result: unknown }
  | { readonly kind: 'thrown'; readonly number: number; readonly thrown: Thrown };

/**
 * From now on answers the calls of the other thread. An error of a handler rejects the call there. Handlers that are not there yet
 * are awaited: once a port has a listener it keeps no message for another one.
 */
export function serveCalls(port: MessagePort, handlers: CallHandlers | Promise<CallHandlers>): void {
  async function answer(number: number, name: string, args: never[]): Promise<void> {
    try {
      const handler = (await handlers)[name];
      if (handler === undefined) throw new Error(`this thread serves no call "${name}"`);
      const result = await handler(...args);
      port.postMessage({ kind: 'result', number, result } satisfies Message);
    } catch (error) {
      port.postMessage({ kind: 'thrown', number, thrown: thrownBy(error) } satisfies Message);
    }
  }
  port.addEventListener('message', (event) => {
    const data = event.data as Message;
    if (data.kind === 'call') answer(data.number, data.name, data.args);
  });
  port.start();
}

/** Calls what the other thread serves. A call rejects with the error of its handler, and when the other thread has ended. */
export function callsOf<Served extends CallHandlers>(port: MessagePort): Calls<Served> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let numbers = 0;
  let closed = false;
  port.addEventListener('message', (event) => {
    const data = event.data as Message;
    if (data.kind === 'call') return;
    const pending = waiting.get(data.number);
    waiting.delete(data.number);
    if (data.kind === 'result') pending?.resolve(data.result);
    else pending?.reject(errorOf(data.thrown));
  });
  port.addEventListener('close', () => {
    closed = true;
    for (const pending of waiting.values()) pending.reject(ended());
    waiting.clear();
  });
  port.start();

  async function call(name: string, args: never[]): Promise<unknown> {
    if (closed) throw ended();
    const number = numbers++;
    const pending = Promise.withResolvers<unknown>();
    port.postMessage({ kind: 'call', number, name, args } satisfies Message);
    waiting.set(number, pending);
    return pending.promise;
  }
  return new Proxy({} as Calls<Served>, {
    // A promise that resolves with the proxy asks whether it is a promise itself.
    get: (_, name) =>
      typeof name === 'symbol' || name === 'then' ? undefined : (...args: never[]) => call(name, args),
  });
}

function ended(): Error {
  return new Error('the other thread has ended');
}
