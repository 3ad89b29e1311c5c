import type { Mutant } from "./mutant.ts";

const rows: readonly Omit<Mutant, "folder">[] = [
  {
    name: "Durable commit: with other storages",
    file: "src/journal.ts",
    find: "          await setEntry(JOURNAL_KEY, { operations: changes });\n          await replay();",
    by: "          await apply(changes);",
    tests: ["test/journal.test.ts"],
  },
  {
    name: "Event numbers: none is used up by what is refused",
    file: "src/journal.ts",
    find: "pendingNewest = events?.newest ?? newest;",
    by: "newest = pendingNewest = events?.newest ?? newest;",
    tests: ["test/journal.test.ts"],
  },
  {
    name: "Durable commit: of one daemon",
    file: "src/store-lease.ts",
    find: "    if (loss) throw loss;\n    if (isHeld()) return;\n",
    by: "    return;\n",
    tests: ["test/store-lease.test.ts"],
  },
];

/** The protections of a store on a driver of unstorage. */
export const storageMutants: readonly Mutant[] = rows.map((row) => ({
  ...row,
  folder: "plugins/storage-unstorage",
}));
