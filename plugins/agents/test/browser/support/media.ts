import type { House } from "./house.ts";

/** Samples a second of {@link makeWave}. */
const RATE = 8_000;

/** A WAV of a low tone that lasts `seconds`, one byte a sample. */
export function makeWave(seconds: number): Buffer {
  const samples = Buffer.alloc(seconds * RATE);
  for (let at = 0; at < samples.length; at += 1)
    samples[at] = 128 + Math.round(40 * Math.sin(at / 6));
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  // PCM, one channel, and the bytes of a second and of a sample.
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

/** A PDF of one page that is red all over, with a word on it. */
export function makePdf(word: string): Buffer {
  const content = `1 0 0 rg 0 0 400 400 re f 0 g BT /F1 36 Tf 60 200 Td (${word}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let text = "%PDF-1.4\n";
  const places: number[] = [];
  for (const [index, object] of objects.entries()) {
    places.push(text.length);
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = text.length;
  const rows = places
    .map((place) => `${String(place).padStart(10, "0")} 00000 n \n`)
    .join("");
  text += `xref\n0 ${places.length + 1}\n0000000000 65535 f \n${rows}`;
  text += `trailer\n<< /Size ${places.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}

/** A WebM of some frames of a green square, as the browser itself records it. */
export async function recordVideo(page: House["page"]): Promise<Buffer> {
  const base64 = await page.evaluate(async () => {
    const canvas = document.createElement("canvas");
    canvas.width = 160;
    canvas.height = 120;
    const pen = canvas.getContext("2d")!;
    const recorder = new MediaRecorder(canvas.captureStream(30), {
      mimeType: "video/webm;codecs=vp8",
    });
    const parts: Blob[] = [];
    recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
    const stopped = new Promise((resolve) =>
      recorder.addEventListener("stop", resolve),
    );
    recorder.start();
    for (let frame = 0; frame < 20; frame += 1) {
      pen.fillStyle = frame % 2 === 0 ? "#00a000" : "#00a800";
      pen.fillRect(0, 0, 160, 120);
      await new Promise(requestAnimationFrame);
    }
    recorder.stop();
    await stopped;
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return btoa(
      Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""),
    );
  });
  return Buffer.from(base64, "base64");
}

/** The share of the pixels of a picture of the page that a test of their colours takes. */
export async function shareOfPixels(
  page: House["page"],
  picture: Buffer,
  color: "red" | "green",
): Promise<number> {
  return page.evaluate(
    async ([data, wanted]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = image.width;
      canvas.height = image.height;
      const pen = canvas.getContext("2d")!;
      pen.drawImage(image, 0, 0);
      const pixels = pen.getImageData(0, 0, image.width, image.height).data;
      let found = 0;
      for (let at = 0; at < pixels.length; at += 4) {
        const [red = 0, green = 0, blue = 0] = pixels.subarray(at, at + 3);
        const isRed = red > 180 && green < 90 && blue < 90;
        const isGreen = green > 120 && red < 90 && blue < 90;
        if (wanted === "red" ? isRed : isGreen) found += 1;
      }
      return (found * 4) / pixels.length;
    },
    [picture.toString("base64"), color] as const,
  );
}
