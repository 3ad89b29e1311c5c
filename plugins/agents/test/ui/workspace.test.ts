import { describe, expect, test } from "vitest";
import { toFolderPath } from "../../ui/workspace/toFolderPath.ts";
import { readLayout } from "../../ui/workspace/workspaceLayout.ts";

describe("the layout of a workspace", () => {
  const fresh = { pane: "changes", isOpen: true, share: 50, follows: true };

  test("is kept as the user left it", () => {
    const kept = { pane: "files", isOpen: false, share: 30.5, follows: false };
    expect(readLayout(JSON.stringify(kept))).toEqual(kept);
  });

  test.each([undefined, "", "{", "null", "7", '"files"', "[]", "{}"])(
    "is that of a new one where %j was kept",
    (text) => {
      expect(readLayout(text)).toEqual(fresh);
    },
  );

  test("takes what is right of one that is partly wrong", () => {
    const kept = { pane: "elsewhere", isOpen: "no", share: 99, follows: false };
    expect(readLayout(JSON.stringify(kept))).toEqual({
      ...fresh,
      follows: false,
    });
  });
});

test.each([
  ["/work/shop", "/work/shop/src/a.ts", "src/a.ts"],
  ["/work/shop/", "./src//a.ts", "src/a.ts"],
  ["/work/shop", "src/a.ts", "src/a.ts"],
  ["/work/shop", "/work/shopping/a.ts", undefined],
  ["/work/shop", "/etc/passwd", undefined],
  ["/work/shop", "../secret", undefined],
  ["/work/shop", "/work/shop/../secret", undefined],
  ["/work/shop", "/work/shop/", undefined],
  ["C:\\work\\shop", "C:\\work\\shop\\src\\a.ts", "src/a.ts"],
  ["C:\\work\\shop", "D:\\a.ts", undefined],
])("in %s the file %s is %s", (folder, path, expected) => {
  expect(toFolderPath(folder, path)).toBe(expected);
});
