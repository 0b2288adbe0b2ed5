/** The Prometheus text format. */

export type Labels = Readonly<Record<string, string>>;
export type MetricSample = { readonly labels?: Labels; readonly value: number };

export function head(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}`;
}

export function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text.replace(/["\\\n]/g, '\\$&')}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}
