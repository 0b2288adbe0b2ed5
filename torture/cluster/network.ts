/** Machines with network namespaces of their own on one bridge, so that any of them can be cut off. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { toolPath } from '../../scripts/tools/system-tool.ts';

/** The bridge of all machines, and the one of those that are cut off: only they reach each other. */
const bridges = { joined: 'joined', apart: 'apart' } as const;
/** Clients reach Shelf over a network of their own, which is never cut. */
const clients = 'clients';
const [machineNet, clientNet] = ['10.77.0', '10.78.0'];
/** Of this process, in both networks. */
const own = 1;

export function run(...command: readonly string[]): void {
  const [tool = '', ...args] = command;
  const { exitCode, stderr } = Bun.spawnSync([toolPath(tool), ...args], { stdout: 'ignore', stderr: 'pipe' });
  if (exitCode !== 0) throw new Error(`${command.join(' ')} failed: ${stderr}`);
}

/** Requires a network namespace without other interfaces. */
export function openNetwork(): void {
  run('ip', 'link', 'set', 'lo', 'up');
  for (const bridge of [bridges.joined, bridges.apart, clients]) {
    run('ip', 'link', 'add', bridge, 'type', 'bridge');
    run('ip', 'link', 'set', bridge, 'up');
  }
  run('ip', 'addr', 'add', `${machineNet}.${own}/24`, 'dev', bridges.joined);
  run('ip', 'addr', 'add', `${clientNet}.${own}/24`, 'dev', clients);
}

export class Machine {
  readonly address: string;
  /** Only of a machine with clients. */
  readonly clientAddress: string;
  /** The namespace exists as long as this process. */
  readonly #holder: Bun.Subprocess;

  constructor(
    readonly name: string,
    number: number,
    hasClients = false,
  ) {
    this.address = `${machineNet}.${number}`;
    this.clientAddress = `${clientNet}.${number}`;
    this.#holder = Bun.spawn([toolPath('unshare'), '--net', toolPath('sleep'), 'infinity']);
    this.#untilApart();
    this.#plug(`m-${name}`, bridges.joined, 'eth0', this.address);
    if (hasClients) this.#plug(`c-${name}`, clients, 'eth1', this.clientAddress);
    run(...this.command('ip', 'link', 'set', 'lo', 'up'));
  }

  /** The command that runs another one on this machine. */
  command(...command: readonly string[]): string[] {
    const [tool = '', ...args] = command;
    return [toolPath('nsenter'), '--target', String(this.#holder.pid), '--net', '--', toolPath(tool), ...args];
  }

  cutOff(): void {
    run('ip', 'link', 'set', `m-${this.name}`, 'master', bridges.apart);
  }

  rejoin(): void {
    run('ip', 'link', 'set', `m-${this.name}`, 'master', bridges.joined);
  }

  /** Sends the signal to every process on this machine with one of the names; a parent before its children. */
  signal(names: readonly string[], signal: NodeJS.Signals): void {
    for (const pid of this.#processes(names)) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended.
      }
    }
  }

  isRunning(name: string): boolean {
    return this.#processes([name]).length > 0;
  }

  #processes(names: readonly string[]): number[] {
    const namespace = namespaceOf(this.#holder.pid);
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number)
      .filter((pid) => names.includes(nameOf(pid)) && namespaceOf(pid) === namespace)
      .sort((left, right) => left - right);
  }

  #plug(link: string, bridge: string, device: string, address: string): void {
    run('ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', device, 'netns', String(this.#holder.pid));
    run('ip', 'link', 'set', link, 'master', bridge, 'up');
    run(...this.command('ip', 'addr', 'add', `${address}/24`, 'dev', device));
    run(...this.command('ip', 'link', 'set', device, 'up'));
  }

  #untilApart(): void {
    const here = namespaceOf(process.pid);
    while ([here, undefined].includes(namespaceOf(this.#holder.pid))) Bun.sleepSync(5);
  }
}

/** Undefined if the process has ended. */
function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}

/** The name of the program; the state of a process that has ended is Z. */
function nameOf(pid: number): string {
  try {
    const [, name = '', state] = /^\d+ \((.*)\) (.)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return state === 'Z' ? '' : name;
  } catch {
    return '';
  }
}
