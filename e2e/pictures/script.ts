/** One thing that the acted agent does. */
export type Act =
  | { does: "think" | "say"; text: string }
  | { does: "run"; command: string; output: string; fails?: boolean }
  | { does: "edit"; path: string; before: string; after: string }
  | { does: "ask"; command: string }
  | { does: "spend"; usd: number }
  | { does: "fail"; text: string }
  | { does: "wait" };

const before = `  const net = lines.reduce((sum, line) => sum + round(line.net), 0);
  return round(net * (1 - discount));`;
const after = `  // Rounded once, at the end: each line's half a cent adds up.
  const net = lines.reduce((sum, line) => sum + line.net, 0);
  return round(net * (1 - discount));`;

const read = `  return database.all(
    "SELECT * FROM orders WHERE customer_id = ?",
    customer,
  );`;
const readPage = `  return database.all(
    "SELECT * FROM orders WHERE customer_id = ? ORDER BY id LIMIT ? OFFSET ?",
    customer,
    PAGE_SIZE,
    page * PAGE_SIZE,
  );`;
const signature = "export function ordersOf(customer: string): Order[] {";
const pagedSignature = `/** Orders on one page. */
export const PAGE_SIZE = 50;

export function ordersOf(customer: string, page = 0): Order[] {`;
const indexes = "CREATE INDEX orders_by_day ON orders (day);\n";

/** Files of the repository that the agents edit. */
export const billingFiles: Record<string, string> = {
  "src/invoice.ts": `import { round } from "./money.ts";

export interface Line {
  product: string;
  net: number;
}

/** What the customer pays. */
export function total(lines: readonly Line[], discount = 0): number {
${before}
}
`,
  "src/orders.ts": `import { database } from "./database.ts";

export interface Order {
  id: string;
  customer: string;
  day: string;
  total: number;
}

${signature}
${read}
}
`,
  "migrations/012-indexes.sql": indexes,
};

/** What the agent does for which prompt. */
export const script: Readonly<Record<string, readonly Act[]>> = {
  "Invoices with a discount are a cent off. Find out why, and fix it.": [
    {
      does: "think",
      text: "A cent means rounding. The totals are made in src/invoice.ts; the tests beside it should tell which of them is off.",
    },
    {
      does: "run",
      command: "npx vitest run invoice",
      output:
        " FAIL  test/invoice.test.ts > a discount of 15 %\n  expected 1034.51 to be 1034.50\n\n Tests  1 failed | 11 passed (12)",
      fails: true,
    },
    { does: "edit", path: "src/invoice.ts", before, after },
    {
      does: "run",
      command: "npx vitest run invoice",
      output: " Tests  12 passed (12)",
    },
    {
      does: "say",
      text: "Each line was rounded **before** the discount was taken, so half cents added up. `total()` now rounds once, and all 12 tests pass.",
    },
    { does: "spend", usd: 0.21 },
    {
      does: "ask",
      command: 'git commit --all --message "Round an invoice once"',
    },
  ],
  "Move the cart to the new store.": [
    {
      does: "say",
      text: "The cart uses the new store; 3 of 9 components are still to be moved.",
    },
    { does: "spend", usd: 1.38 },
  ],
  "Continue with the other components.": [
    { does: "run", command: "npx vue-tsc --noEmit", output: "" },
    { does: "wait" },
  ],
  "Read what was merged since 2.3 and write the release notes.": [
    {
      does: "say",
      text: "14 pull requests so far: 4 fixes, 9 features, and one change that breaks a plugin.",
    },
    { does: "spend", usd: 0.34 },
  ],
  "Put what breaks first, and link each pull request.": [{ does: "wait" }],
  "Which queries take longest?": [
    {
      does: "say",
      text: "The list of orders scans the whole table: an index on `customer_id` takes it from 840 ms to 6 ms.",
    },
    { does: "spend", usd: 0.56 },
  ],
  "Add the index, and read one page at a time.": [
    {
      does: "edit",
      path: "migrations/012-indexes.sql",
      before: indexes,
      after: `${indexes}CREATE INDEX orders_by_customer ON orders (customer_id);\n`,
    },
    {
      does: "edit",
      path: "src/orders.ts",
      before: signature,
      after: pagedSignature,
    },
    { does: "edit", path: "src/orders.ts", before: read, after: readPage },
    {
      does: "run",
      command: "npx vitest run orders",
      output: " Tests  7 passed (7)",
    },
    {
      does: "say",
      text: "The migration adds the index, and `ordersOf()` reads 50 orders at a time. All 7 tests pass.",
    },
    { does: "spend", usd: 0.31 },
  ],
  "What happened in this repository since yesterday? Ten lines at most.": [
    {
      does: "say",
      text: "**Three commits**, all by Ada: the cart keeps its items after a reload, prices are rounded once, and the flaky test of the checkout is gone.",
    },
    { does: "spend", usd: 0.06 },
  ],
  "Look for dependencies with known holes.": [
    {
      does: "say",
      text: "One of 412: `tar` 6.1.9 writes outside its folder. 6.2.1 is out and changes nothing else.",
    },
    { does: "spend", usd: 0.04 },
  ],
  "Run the benchmarks and compare them with last night.": [
    {
      does: "fail",
      text: "The benchmark did not start: port 5432 is in use.",
    },
  ],
  "Sum up the week for the team.": [{ does: "say", text: "A quiet week." }],
};
