/**
 * Limits of writes: how many writes per second several instances and one PostgreSQL can reach, by
 * the costs of a single write. Each limit is computed as if everything else were free, so the
 * result is an upper bound.
 */

/** Costs in seconds, and shares. */
export interface WriteCosts {
  /** Processor time of an instance for a write. An instance has one core. */
  readonly instance: number;
  /** Processor time of the database for a write. */
  readonly database: number;
  /** The duration of a commit. Groups with events commit one after another. */
  readonly commit: number;
  /** The number of writes of a group, which have one commit. */
  readonly group: number;
  /** The share of groups that conflict with the groups of one other instance. */
  readonly conflicts: number;
}

export interface Machines {
  readonly instances: number;
  readonly databaseCores: number;
}

/** Writes per second at which each resource is used up. */
export interface WriteLimits {
  readonly "instance CPU": number;
  readonly "database CPU": number;
  readonly commits: number;
  readonly retries: number;
}

/**
 * Computes the limits. A group that conflicts runs again, and no other group runs meanwhile, so it
 * conflicts once.
 */
export function writeLimits(costs: WriteCosts, { instances, databaseCores }: Machines): WriteLimits {
  const { instance, database, commit, group, conflicts } = costs;
  const repeated = 1 - (1 - conflicts) ** (instances - 1);
  const alone = group * (instance + database) + commit;
  return {
    "instance CPU": instances / (instance * (1 + repeated)),
    "database CPU": databaseCores / (database * (1 + repeated)),
    commits: group / commit,
    retries: repeated === 0 ? Number.POSITIVE_INFINITY : group / (repeated * alone),
  };
}

/** The lowest limit, and its name. */
export function firstLimit(limits: WriteLimits): readonly [name: keyof WriteLimits, perSecond: number] {
  const [first] = Object.entries(limits).toSorted(([, a], [, b]) => a - b);
  return first as [keyof WriteLimits, number];
}

/** Writes per second if instances, database and clients share all cores of a machine. */
export function sharedLimit(
  { instance, database }: Pick<WriteCosts, "instance" | "database">,
  client: number,
  cores: number,
): number {
  return cores / (instance + database + client);
}
