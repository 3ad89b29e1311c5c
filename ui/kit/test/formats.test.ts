import { expect, test } from "vitest";
import {
  formatBytes,
  formatDuration,
  formatMoney,
  formatNumber,
  formatPercent,
  formatPreview,
  formatRelative,
  formatTokens,
} from "../src/index.ts";

test.each([
  [null, "unknown"],
  [undefined, "unknown"],
  [0, "$0.00"],
  [0.0042, "$0.0042"],
  [0.000123, "$0.00012"],
  [0.42, "$0.42"],
  [1234.5, "$1,234.50"],
])("money %s is %s", (value, text) => {
  expect(formatMoney(value)).toBe(text);
});

test.each([
  [null, "unknown"],
  [0, "0"],
  [842, "842"],
  [999.7, "1k"],
  [12_400, "12.4k"],
  [999_700, "1M"],
  [1_250_000, "1.3M"],
])("%s tokens are %s", (value, text) => {
  expect(formatTokens(value)).toBe(text);
});

test.each([
  [512, "512 B"],
  [12_400, "12.4 kB"],
  [3_000_000, "3 MB"],
])("%s bytes are %s", (value, text) => {
  expect(formatBytes(value)).toBe(text);
});

test.each([
  [null, "unknown"],
  [-5, "0 ms"],
  [340, "340 ms"],
  [999.6, "1.0 s"],
  [4_240, "4.2 s"],
  [9_970, "10 s"],
  [59_400, "59 s"],
  [59_600, "1 min"],
  [184_000, "3 min 4 s"],
  [7_500_000, "2 h 5 min"],
  [273_600_000, "3 d 4 h"],
])("%s ms are %s", (value, text) => {
  expect(formatDuration(value)).toBe(text);
});

test.each([
  [0, "now"],
  [44_000, "now"],
  [-50_000, "in 1 min."],
  [180_000, "3 min. ago"],
  [-7_200_000, "in 2 hr."],
  [3 * 86_400_000, "3 days ago"],
])("%s ms ago is %s", (ago, text) => {
  expect(formatRelative(1_000_000_000_000 - ago, 1_000_000_000_000)).toBe(text);
});

test.each([
  ["## Done\n\n- **two** commits\n- `a.ts`", "Done two commits a.ts"],
  ["see [the log](https://a.example) and ![x](y.png)", "see the log and x"],
  ["```ts\nconst a = 1;\n```", "const a = 1;"],
  ["| a | b |\n|---|---|\n| 1 | 2 |", "a b 1 2"],
  ["", ""],
])("the preview of %j is %j", (markdown, preview) => {
  expect(formatPreview(markdown)).toBe(preview);
});

test("a preview is short", () => {
  expect(formatPreview("word ".repeat(500)).length).toBeLessThanOrEqual(180);
});

test.each([
  [null, "unknown"],
  [0, "0"],
  [1234.567, "1,234.57"],
  [-3, "-3"],
])("the number %s is %s", (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

test.each([
  [undefined, "unknown"],
  [0, "0 %"],
  [12.34, "12.3 %"],
  [100, "100 %"],
  [187.6, "188 %"],
])("a share of %s is %s", (value, text) => {
  expect(formatPercent(value)).toBe(text);
});
