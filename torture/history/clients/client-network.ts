/** The network between clients and a server: it can cut connections, or drop all data. */
import { Forwarder } from '../../../test/postgres/forwarder.ts';
import type { Fault } from '../servers/setup.ts';

export class ClientNetwork {
  readonly #forwarder = new Forwarder(0);

  get port(): number {
    return this.#forwarder.port;
  }

  leadTo(port: number): void {
    this.#forwarder.target = port;
  }

  get faults(): Fault[] {
    const forwarder = this.#forwarder;
    return [
      { name: 'clients cut', inflict: async () => forwarder.cutAll() },
      {
        name: 'clients black-holed',
        inflict: async (random) => {
          forwarder.swallows = true;
          await Bun.sleep(random.between(50, 800));
          forwarder.swallows = false;
          forwarder.cutAll();
        },
      },
    ];
  }

  close(): void {
    this.#forwarder.stop();
  }
}
