import { defineConfig } from 'vite';

// The tool contains the files of dist/ and serves them from a table, so their names are fixed and all links are relative.
export default defineConfig({
  base: './',
  publicDir: false,
  build: {
    outDir: 'dist',
    target: 'es2022',
    sourcemap: false,
    chunkSizeWarningLimit: 1500,
    rollupOptions: {
      output: { entryFileNames: 'assets/studio.js', assetFileNames: 'assets/studio[extname]', inlineDynamicImports: true },
    },
  },
});
