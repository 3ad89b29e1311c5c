import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { appView } from "@gantry/plugin-apps/contract";
import { format } from "prettier";
import * as z from "zod";

const docs = fileURLToPath(new URL("../../../docs/", import.meta.url));

/** A generated file as it is, empty if it is missing, and as it should be. */
export interface ComparedDocument {
  path: string;
  current: string;
  wanted: string;
}

/** The documents that are generated as a whole. */
export async function compareDocuments(): Promise<ComparedDocument[]> {
  const documents = { "app-view.schema.json": renderAppViewSchema() };
  return await Promise.all(
    Object.entries(documents).map(async ([name, schema]) => {
      const path = join(docs, name);
      const current = await readFile(path, "utf8").catch(() => "");
      const text = JSON.stringify(schema);
      return { path, current, wanted: await format(text, { parser: "json" }) };
    }),
  );
}

/** The JSON Schema of what an app gives as a page; what has a default may be left out. */
function renderAppViewSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(appView, { io: "input" });
  return { $schema, title: "A page of an app of Gantry", ...schema };
}
