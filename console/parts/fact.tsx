/** A figure with its name, in a list of them. */
import type { ComponentChildren } from 'preact';

export type FactProps = {
  readonly name: string;
  readonly kind?: 'wide' | 'card';
  readonly children: ComponentChildren;
};

export function Fact({ name, kind, children }: FactProps) {
  return (
    <div class={kind}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
