// Types only: what the server sends can then not be something else here, and its schemas stay out of the bundle.
import type * as z from "zod";
import type {
  appActionResult,
  appBadge,
  ShownBlock,
  ShownLeaf,
} from "../src/contract.ts";
export type {
  ShownBlock as Block,
  ShownButton as Button,
  ShownLeaf as Leaf,
  ShownView as View,
} from "../src/contract.ts";

export type Badge = z.output<typeof appBadge>;
export type ActionResult = z.output<typeof appActionResult>;

/** A block of one type. */
export type BlockOf<Type extends ShownBlock["type"]> = Extract<
  ShownBlock,
  { type: Type }
>;
export type RowsBlock = BlockOf<"list"> | BlockOf<"table">;
export type Row = RowsBlock["rows"][number];
export type Column = RowsBlock["columns"][number];
export type Cell = Row["cells"][string];
export type Field = BlockOf<"form">["fields"][number];
export type LogLine = BlockOf<"log">["lines"][number];
export type LeafTone = Row["tone"];
/** Anything that stands in a stack. */
export type StackedBlock = ShownLeaf | BlockOf<"stack">;

/** An app in the list. */
export interface ListedApp {
  id: string;
  name: string;
  icon: string;
  summary: string;
  plugin: string;
  badge: Badge | null;
}

/** The answer of `GET /api/apps`. */
export interface AppList {
  apiVersion: 1;
  items: ListedApp[];
}
