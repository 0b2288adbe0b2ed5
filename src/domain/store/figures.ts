/** The figures of a store that operators monitor. */
export type Figures = {
  readonly writesWaiting: number;
  readonly readsWaiting: number;
  readonly cacheBytes: number;
  /** Single records of collections that are not in memory: those that this thread had kept, and those that it has read from the file. */
  readonly hot: { readonly hits: number; readonly misses: number };
  /** Size of SQLite's write-ahead log. */
  readonly walBytes: number;
  /** Connections to a database server, by purpose. */
  readonly pools: Readonly<Record<string, { readonly used: number; readonly most: number }>>;
  /** Standbys that serve reads, by address. */
  readonly replicas: Readonly<Record<string, ReplicaFigures>>;
  /** Reads that a standby may serve and the primary has served. */
  readonly readsFromPrimary: number;
};

export type ReplicaFigures = {
  readonly isUsed: boolean;
  /** Since it last had all changes; 0 while it is used. */
  readonly lagSeconds: number;
  readonly reads: number;
};
