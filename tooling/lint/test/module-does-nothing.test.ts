import { moduleDoesNothing } from "../src/rules/module-does-nothing.ts";
import { testRule } from "./rule-tester.ts";

const FILE = "plugins/notes/src/notes.ts";

testRule("module-does-nothing", moduleDoesNothing, {
  valid: [
    [
      FILE,
      '"use strict"; import { a } from "./a.ts"; export * from "./b.ts"; export { a };',
    ],
    [
      FILE,
      "const LIMITS = { max: 10 }; export const Note = z.object({ id: z.string() });",
    ],
    [
      FILE,
      "export function list() { let count = 0; count += 1; return count; }",
    ],
    [FILE, "export class Notes { #items = new Map(); } abstract class Base {}"],
    [
      FILE,
      "interface Note { id: string } export type Notes = Note[]; declare const flag: boolean; declare let host: string;",
    ],
    [
      FILE,
      "export default definePlugin({ id: 'notes', async setup(ctx) { await ctx.own(() => {}); } });",
    ],
    [
      FILE,
      "export const load = async () => { for await (const line of lines) use(line); };",
    ],
  ],
  invalid: [
    [FILE, "register(notes);", /must do nothing/],
    [FILE, "if (process.env.DEBUG) enable();", /must do nothing/],
    [FILE, "Notes.prototype.extra = () => {};", /must do nothing/],
    [FILE, "for (const name of names) table[name] = 1;", /must do nothing/],
    [FILE, "let count = 0;", /outlives the plugin/],
    [FILE, "export let current;", /outlives the plugin/],
    [FILE, "const config = await load();", /must not wait/],
    [FILE, "await ready;", /must do nothing/, /must not wait/],
  ],
});
