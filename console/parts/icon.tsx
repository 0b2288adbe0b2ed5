/** The icons, as lines on a square of 24: one set, in the color of the text around them. */
const paths = {
  home: 'M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-6h4v6',
  collection: 'M4 5h16v14H4zM4 10h16M4 14.5h16M9.5 10v9',
  live: 'M3 12h4l3-8 4 16 3-8h4',
  health: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  keys: 'M14.5 9.5a4.5 4.5 0 1 0-4 4.5l1 1h2v2h2v2h3.5v-3l-5-5a4.5 4.5 0 0 0 .5-1.5zM8.5 8.5h.01',
  schema: 'M3.5 4h7v5h-7zM13.5 15h7v5h-7zM7 9v8.5h6.5',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  filter: 'M4 5h16l-6 7.5V19l-4-2v-4.5z',
  columns: 'M4 5h16v14H4zM9.5 5v14M14.5 5v14',
  download: 'M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 20h14',
  upload: 'M12 16V5M7.5 9L12 4.5 16.5 9M5 20h14',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  down: 'M6 9.5l6 6 6-6',
  up: 'M6 14.5l6-6 6 6',
  right: 'M9.5 6l6 6-6 6',
  copy: 'M9 9h10v11H9zM15 9V4H5v11h4',
  code: 'M8.5 7L3.5 12l5 5M15.5 7l5 5-5 5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  leave: 'M14 5H5v14h9M10.5 12H20M16.5 8.5L20 12l-3.5 3.5',
  rows: 'M4 6h16M4 10h16M4 14h16M4 18h16',
  summary: 'M4 5v15M8 7h12M8 12.5h7M8 18h10',
  warn: 'M12 4L2.5 20h19zM12 10v4.5M12 17.2v.1',
  calendar: 'M4 6h16v14H4zM4 10.5h16M8.5 3.5v4M15.5 3.5v4',
  views: 'M7 4h10v16l-5-4-5 4z',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5L20 20',
  pause: 'M9 5v14M15 5v14',
  play: 'M7 4.5v15l12-7.5z',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

/** The logo: three books on a shelf. */
export function Logo() {
  return <img src="/favicon.ico" alt="" width="26" height="26" />;
}
