/** A record that another one refers to: its title, and its id for the pointer. The id, as long as there is no title. */
import { hrefOf } from '../../state/address.ts';
import { titleOf } from '../../state/titles.ts';

export type TitleProps = { readonly to: string | undefined; readonly id: string };

export function Title({ to, id }: TitleProps) {
  const title = titleOf(to, id).value;
  return <span title={`${to} ${id}`}>{title === undefined || title === '' ? id : title}</span>;
}

/** In a table, links are no stops of the Tab key. */
export function Reference({ to, id, tabIndex }: TitleProps & { readonly tabIndex?: number }) {
  return (
    <a href={hrefOf([to ?? '', id])} tabIndex={tabIndex}>
      <Title to={to} id={id} />
    </a>
  );
}
