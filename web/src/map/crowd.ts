// Crowd draws many thousands of symbols by copying their pixels itself: without a graphics card that takes a fraction of
// as many calls of drawImage. Where symbols overlap, the soft edge of the upper one is left away.
import type { Atlas } from "./symbols";

interface Sprite {
  dx: Int16Array;
  dy: Int16Array;
  colour: Uint32Array;
  offset: Int32Array;
  width: number;
}

export class Crowd {
  private image?: ImageData;
  private pixels = new Uint32Array(0);
  private sprites = new Map<number, Sprite>();
  private source?: Uint32Array;
  private atlas?: Atlas;

  /** begin clears the picture and takes its size and the atlas to copy from. */
  begin(context: CanvasRenderingContext2D, width: number, height: number, atlas: Atlas): void {
    if (!this.image || this.image.width !== width || this.image.height !== height) {
      this.image = context.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    } else this.pixels.fill(0);
    if (this.atlas === atlas) return;
    this.atlas = atlas;
    this.sprites.clear();
    const { canvas } = atlas;
    this.source = new Uint32Array(canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  }

  /** put copies the symbol of a row and column of the atlas around x, y. */
  put(x: number, y: number, row: number, column: number): void {
    const { width, height } = this.image!,
      sprite = this.sprite(row, column, width),
      reach = (this.atlas!.cell >> 1) + 1;
    const left = x | 0,
      top = y | 0,
      at = top * width + left;
    const inside = left >= reach && top >= reach && left < width - reach && top < height - reach;
    const { offset, colour, dx, dy } = sprite,
      pixels = this.pixels;
    for (let i = 0; i < offset.length; i++) {
      if (!inside) {
        const px = left + dx[i],
          py = top + dy[i];
        if (px < 0 || py < 0 || px >= width || py >= height) continue;
      }
      const c = colour[i],
        to = at + offset[i];
      if (pixels[to] === 0 || c >>> 24 > 200) pixels[to] = c;
    }
  }

  /** end shows the picture on the canvas in place of what was there. */
  end(context: CanvasRenderingContext2D): void {
    context.putImageData(this.image!, 0, 0);
  }

  private sprite(row: number, column: number, width: number): Sprite {
    const key = row * 128 + column;
    let sprite = this.sprites.get(key);
    if (!sprite) this.sprites.set(key, (sprite = this.cut(row, column)));
    if (sprite.width !== width) {
      for (let i = 0; i < sprite.offset.length; i++) sprite.offset[i] = sprite.dy[i] * width + sprite.dx[i];
      sprite.width = width;
    }
    return sprite;
  }

  private cut(row: number, column: number): Sprite {
    const { cell, canvas } = this.atlas!,
      dx: number[] = [],
      dy: number[] = [],
      colour: number[] = [];
    for (let y = 0; y < cell; y++) {
      for (let x = 0; x < cell; x++) {
        const c = this.source![(row * cell + y) * canvas.width + column * cell + x];
        if (c >>> 24 < 24) continue;
        dx.push(x - (cell >> 1));
        dy.push(y - (cell >> 1));
        colour.push(c);
      }
    }
    return {
      dx: Int16Array.from(dx),
      dy: Int16Array.from(dy),
      colour: Uint32Array.from(colour),
      offset: new Int32Array(dx.length),
      width: 0,
    };
  }
}
