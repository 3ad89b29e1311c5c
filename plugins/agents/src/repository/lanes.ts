/** A commit as far as its place in the graph goes. */
export interface GraphNode {
  readonly hash: string;
  readonly parents: readonly string[];
}

/** How a row of the graph is drawn: from the middle of a row, lines go up and down in lanes that are counted from 0. */
export interface GraphRow {
  /** Where the commit is. */
  lane: number;
  /** Lanes from above that end in it. */
  into: number[];
  /** Lanes that pass it by. */
  through: number[];
  /** Lanes that begin or continue in it, one for each parent that is still to come, in their order. */
  out: number[];
}

/** The hash that each lane waits for; `undefined` for one that is free. */
export type OpenLanes = (string | undefined)[];

/**
 * Gives each commit its place, one after the other, from the lanes that are open before it. Nothing but these lanes is
 * carried from one commit to the next, so that a page costs what is on it.
 *
 * @param lanes Changed in place.
 * @param shown Whether a parent was drawn before, which a wrong clock can cause: no line leads there.
 */
export function placeCommit(
  lanes: OpenLanes,
  { hash, parents }: GraphNode,
  shown: (hash: string) => boolean = () => false,
): GraphRow {
  const into = lanes.flatMap((wanted, lane) => (wanted === hash ? lane : []));
  const lane = into[0] ?? firstFree(lanes);
  for (const ended of into) lanes[ended] = undefined;
  const through = lanes.flatMap((wanted, at) => (wanted ? at : []));

  const out: number[] = [];
  for (const parent of new Set(parents)) {
    if (shown(parent)) continue;
    const waiting = lanes.indexOf(parent);
    // The first parent continues in the commit's own lane, so that a branch stays a straight line.
    const next = waiting >= 0 ? waiting : lanes[lane] ? firstFree(lanes) : lane;
    lanes[next] = parent;
    out.push(next);
  }
  while (lanes.length > 0 && lanes.at(-1) === undefined) lanes.pop();
  return { lane, into, through, out };
}

function firstFree(lanes: OpenLanes): number {
  const free = lanes.findIndex((wanted) => wanted === undefined);
  return free < 0 ? lanes.length : free;
}
