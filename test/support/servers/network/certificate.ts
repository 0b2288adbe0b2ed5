/** Certificates for tests, made without other programs: X.509 as DER (RFC 5280), with ECDSA keys. */
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

export type Issued = {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
};

export type Wanted = {
  /** The common name. */
  readonly name: string;
  /** DNS names and IPv4 addresses. */
  readonly hosts?: readonly string[];
  readonly organization?: string;
  readonly from?: Date;
  readonly to?: Date;
};

type Signer = { readonly names: Buffer; readonly privateKey: KeyObject };

const tag = { boolean: 1, integer: 2, bits: 3, octets: 4, oid: 6, utf8: 12, time: 24, sequence: 48, set: 49 } as const;

function der(type: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([type, ...size]), content]);
}

/** Each number below 2^14 but the first two, which share a byte. */
function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((number) => (number < 128 ? [number] : [...high(number >> 7), number & 127]));
  return der(tag.oid, Buffer.from([first * 40 + second, ...bytes]));
}

const high = (number: number): number[] =>
  number < 128 ? [number | 128] : [...high(number >> 7), (number & 127) | 128];

const ecdsaWithSha256 = () => der(tag.sequence, oid('1.2.840.10045.4.3.2'));

function distinguishedName({ name, organization }: Wanted): Buffer {
  const part = (type: string, value: string) =>
    der(tag.set, der(tag.sequence, oid(type), der(tag.utf8, Buffer.from(value))));
  return der(
    tag.sequence,
    ...(organization === undefined ? [] : [part('2.5.4.10', organization)]),
    part('2.5.4.3', name),
  );
}

function time(date: Date): Buffer {
  return der(tag.time, Buffer.from(`${date.toISOString().replace(/[-:T]|\..*/g, '')}Z`));
}

function extension(type: string, critical: boolean, value: Buffer): Buffer {
  const mark = critical ? [der(tag.boolean, Buffer.from([255]))] : [];
  return der(tag.sequence, oid(type), ...mark, der(tag.octets, value));
}

function alternativeName(host: string): Buffer {
  return isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));
}

const dayMs = 86_400_000;

/** Signed by `signer`, or by its own key. */
function make(wanted: Wanted, isAuthority: boolean, signer?: Signer): Issued & Signer {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const names = distinguishedName(wanted);
  const { from = new Date(Date.now() - dayMs), to = new Date(Date.now() + 30 * dayMs), hosts = [] } = wanted;
  const extensions = [
    extension('2.5.29.19', true, der(tag.sequence, ...(isAuthority ? [der(tag.boolean, Buffer.from([255]))] : []))),
    ...(hosts.length === 0 ? [] : [extension('2.5.29.17', false, der(tag.sequence, ...hosts.map(alternativeName)))]),
  ];
  const content = der(
    tag.sequence,
    der(0xa0, der(tag.integer, Buffer.from([2]))),
    der(tag.integer, Buffer.from([1, ...randomBytes(8)])),
    ecdsaWithSha256(),
    signer?.names ?? names,
    der(tag.sequence, time(from), time(to)),
    names,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    der(0xa3, der(tag.sequence, ...extensions)),
  );
  const signature = sign('sha256', content, signer?.privateKey ?? privateKey);
  const whole = der(tag.sequence, content, ecdsaWithSha256(), der(tag.bits, Buffer.from([0]), signature));
  const lines = whole.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    names,
    privateKey,
  };
}

/** A certificate authority. */
export class Authority {
  readonly #made: Issued & Signer;

  constructor(name: string) {
    this.#made = make({ name }, true);
  }

  /** PEM. */
  get cert(): string {
    return this.#made.cert;
  }

  issue(wanted: Wanted): Issued {
    return make(wanted, false, this.#made);
  }
}
