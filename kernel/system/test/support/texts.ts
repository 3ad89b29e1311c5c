import fc from "fast-check";

/** Any text at all, control characters and halves of surrogate pairs too. */
export const anyText = (maxLength: number) =>
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength })
    .map((units) => String.fromCharCode(...units));

/** Any text of whole characters. */
export const wellFormedText = (maxLength: number) =>
  fc
    .array(
      fc.oneof(
        fc.integer({ min: 0, max: 0x7f }),
        fc.integer({ min: 0x80, max: 0xd7ff }),
        fc.integer({ min: 0xe000, max: 0x10ffff }),
      ),
      { maxLength },
    )
    .map((points) => String.fromCodePoint(...points));
