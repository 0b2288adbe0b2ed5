/** A collector on loopback, which decodes what it receives with the official schema. */
import { decoded, type OtlpPath } from './schema.ts';

type Json = Readonly<Record<string, unknown>>;
export type Attributes = Readonly<Record<string, string | boolean>>;
export type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly flags: number;
  readonly status?: { readonly code: number };
  readonly attributes: Attributes;
};
export type Metric = {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly Json[];
};
export type LogRecord = {
  readonly body: string;
  readonly severityNumber: number;
  readonly eventName: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly attributes: Attributes;
};

export class Receiver {
  readonly spans: Span[] = [];
  readonly logs: LogRecord[] = [];
  /** Of the last request. */
  metrics: readonly Metric[] = [];
  resource: Attributes = {};
  /** Each as it came. */
  readonly requests: { readonly path: string; readonly headers: Headers }[] = [];
  /** What was wrong with a request. */
  readonly faults: string[] = [];
  /** Answers a request in place of the receiver, which then takes nothing of it. */
  answer: ((request: Request) => Response | undefined | Promise<Response | undefined>) | undefined;
  #wake = Promise.withResolvers<void>();
  readonly #server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => this.#take(request) });

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** Resolves when this holds, which is tried after each request. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await this.#wake.promise;
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  async #take(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname;
    this.requests.push({ path, headers: request.headers });
    try {
      const answer = await this.answer?.(request);
      if (answer !== undefined) return answer;
      const bytes = new Uint8Array(await request.arrayBuffer());
      const body = request.headers.get('Content-Encoding') === 'gzip' ? Bun.gunzipSync(bytes) : bytes;
      this.#read(path, decoded(path as OtlpPath, body, request.headers.get('Content-Type') ?? ''));
      return new Response();
    } catch (error) {
      this.faults.push(String(error));
      return new Response(null, { status: 400 });
    } finally {
      const { resolve } = this.#wake;
      this.#wake = Promise.withResolvers();
      resolve();
    }
  }

  #read(path: string, request: Json): void {
    for (const one of Object.values(request).flatMap(listIn)) {
      this.resource = attributesIn(one.resource as Json);
      for (const scope of listIn(one.scopeSpans ?? one.scopeMetrics ?? one.scopeLogs)) {
        if (path === '/v1/traces') this.spans.push(...listIn(scope.spans).map((span) => flat(span) as Span));
        if (path === '/v1/logs') this.logs.push(...listIn(scope.logRecords).map((log) => flat(log) as LogRecord));
        if (path === '/v1/metrics') this.metrics = listIn(scope.metrics).map(metricIn);
      }
    }
  }
}

function listIn(value: unknown): Json[] {
  return Array.isArray(value) ? value : [];
}

function metricIn({ name, unit, sum, histogram }: Json): Metric {
  const { dataPoints } = (sum ?? histogram) as Json;
  return { name: String(name), unit: String(unit), points: listIn(dataPoints).map(flat) };
}

function flat({ body, ...rest }: Json): Json {
  const text = body === undefined ? {} : { body: (body as Json).stringValue };
  return { ...rest, ...text, attributes: attributesIn(rest) };
}

function attributesIn(one: Json | undefined): Attributes {
  const pairs = listIn(one?.attributes) as { key: string; value: Attributes }[];
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0] ?? '']));
}
