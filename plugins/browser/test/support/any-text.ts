import fc from "fast-check";

/** Any text, with control characters, marks and halves of surrogate pairs. `fc.string` takes a second to be made for these. */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.nat(0x7f), fc.nat(0x2fff), fc.nat(0xffff)), {
      maxLength,
    })
    .map((units) => String.fromCharCode(...units));
