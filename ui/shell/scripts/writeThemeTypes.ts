import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toThemeTypes } from "./toThemeTypes.ts";

const root = join(import.meta.dirname, "..");
writeFileSync(
  join(root, "../kit/src/themes.generated.d.ts"),
  await toThemeTypes(root),
);
