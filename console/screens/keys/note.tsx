/** The hint of an input, or what is wrong with it. */
export type NoteProps = { readonly id: string; readonly problem: string; readonly hint: string };

export function Note({ id, problem, hint }: NoteProps) {
  return (
    <p id={id} class={problem === '' ? 'note soft' : 'note bad'} role={problem === '' ? undefined : 'alert'}>
      {problem === '' ? hint : problem}
    </p>
  );
}
