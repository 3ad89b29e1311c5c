import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decodePlace,
  encodePlace,
} from "../../src/repository/history-cursor.ts";
import { orderCommits } from "../../src/repository/order-commits.ts";
import {
  placeCommit,
  type GraphNode,
  type GraphRow,
  type OpenLanes,
} from "../../src/repository/lanes.ts";

const toHash = (index: number) => index.toString(16).padStart(40, "0");

/** A history, newest first: each commit has parents among the next few. */
const history = fc
  .array(fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 3 }), {
    minLength: 1,
    maxLength: 40,
  })
  .map((commits) =>
    commits.map((steps, index): GraphNode => {
      const parents = steps.map((step) => index + step);
      const known = parents.filter((parent) => parent < commits.length);
      return { hash: toHash(index), parents: known.map(toHash) };
    }),
  );

const draw = (commits: readonly GraphNode[]) => {
  const lanes: OpenLanes = [];
  return commits.map((commit) => placeCommit(lanes, commit));
};

test("every line leads from a commit to its parent, and none is lost or made up", () => {
  fc.assert(
    fc.property(history, (commits) => {
      // Lines are followed by eye: what leaves a row in a lane comes into the next one in it.
      let open = new Map<number, Set<string>>();
      for (const [index, row] of draw(commits).entries()) {
        const commit = commits[index]!;
        const above = [...open.keys()].sort((one, other) => one - other);
        expect(
          [...row.into, ...row.through].sort((one, other) => one - other),
        ).toEqual(above);
        for (const lane of row.into)
          expect([...(open.get(lane) ?? [])]).toEqual([commit.hash]);
        const next = new Map(
          row.through.map((lane) => [lane, new Set(open.get(lane))]),
        );
        expect(row.out).toHaveLength(commit.parents.length);
        for (const [place, lane] of row.out.entries())
          next.set(
            lane,
            (next.get(lane) ?? new Set()).add(commit.parents[place]!),
          );
        expect(row.through).not.toContain(row.lane);
        open = next;
      }
      expect(open.size).toBe(0);
    }),
  );
});

test("a straight history stays in the first lane", () => {
  const commits = Array.from({ length: 50 }, (_, index) => ({
    hash: toHash(index),
    parents: index < 49 ? [toHash(index + 1)] : [],
  }));
  expect(
    new Set(draw(commits).flatMap(({ lane, out }) => [lane, ...out])),
  ).toEqual(new Set([0]));
});

test("a page that is continued from its cursor is drawn as if there had been one page", () => {
  fc.assert(
    fc.property(history, fc.integer({ min: 1, max: 39 }), (commits, cut) => {
      const whole = draw(commits);
      const lanes: OpenLanes = [];
      const rows: GraphRow[] = [];
      for (const [index, commit] of commits.entries()) {
        if (index === cut) {
          const pending = [toHash(999)];
          const { cursor } = encodePlace({ lanes, pending });
          const place = decodePlace(cursor ?? "");
          expect(place).toEqual({ lanes: [...lanes], pending });
          lanes.splice(0, lanes.length, ...(place?.lanes ?? []));
        }
        rows.push(placeCommit(lanes, commit));
      }
      expect(rows).toEqual(whole);
    }),
  );
});

test("a parent that was drawn before gets no line, and a parent that is named twice one", () => {
  const lanes: OpenLanes = [];
  const row = placeCommit(
    lanes,
    { hash: toHash(1), parents: [toHash(2), toHash(2), toHash(3)] },
    (hash) => hash === toHash(3),
  );
  expect([row.out, lanes]).toEqual([[0], [toHash(2)]]);
});

test("a cursor holds a limited number of lanes, says so, and an invalid one is refused", () => {
  const lanes = Array.from({ length: 400 }, (_, index) => toHash(index + 1));
  const { cursor, truncated } = encodePlace({ lanes, pending: lanes });
  expect(truncated).toBe(true);
  expect(cursor!.length).toBeLessThanOrEqual(6001);
  expect(decodePlace(cursor!)?.lanes.slice(0, 100)).toEqual(
    lanes.slice(0, 100),
  );
  expect(encodePlace({ lanes: [], pending: [] }).cursor).toBeNull();
  expect(encodePlace({ lanes: [undefined], pending: [] }).cursor).toBeNull();
  for (const bad of [
    "",
    "x",
    "~",
    "~x",
    "a~",
    "~~",
    "--output=x~",
    "AAAA~",
    `~${"A".repeat(43)}.`,
    "~.",
  ])
    expect(decodePlace(bad), bad).toBeUndefined();
});

test("commits of one second come after their children, and others stay where they are", () => {
  fc.assert(
    fc.property(history, fc.infiniteStream(fc.nat(6)), (commits, steps) => {
      expect(orderCommits(commits)).toEqual(commits);
      const mixed = commits
        .map((commit, index) => ({
          commit,
          at: index + Number(steps.next().value),
        }))
        .sort((one, other) => one.at - other.at)
        .map(({ commit }) => commit);
      const ordered = orderCommits(mixed);
      expect(new Set(ordered)).toEqual(new Set(mixed));
      expect(ordered).toHaveLength(mixed.length);
      const placeOf = new Map(ordered.map(({ hash }, index) => [hash, index]));
      for (const { hash, parents } of ordered)
        for (const parent of parents)
          expect(placeOf.get(parent)).toBeGreaterThan(placeOf.get(hash)!);
    }),
  );
});
