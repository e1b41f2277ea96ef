// Reports as one HTML file: style and script inside, pictures as data, so that it can be mailed and opened anywhere.
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/base64.h"
#include "io/png_library.h"
#include "report/report_parts.h"

static const char *const head[] = {
    "<style>\n:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--faint:#8884;--warn:#b4540a}\n",
    "@media (prefers-color-scheme:dark){:root{--ink:#e6e8eb;--paper:#15181c;--warn:#ffa657}}\n",
    "body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:2rem "
    "auto;padding:0 "
    "1rem}\n",
    "h1,h2{line-height:1.2}h2{border-bottom:1px solid var(--faint);padding-bottom:.2em;margin-top:2.2em}\n",
    "table{border-collapse:collapse;margin:1em "
    "0;display:block;overflow-x:auto}caption{text-align:left;font-weight:600;padding-bottom:.3em}\n",
    "th,td{padding:.25em .8em;border-bottom:1px solid "
    "var(--faint);text-align:left}.n{text-align:right;font-variant-numeric:tabular-nums}\n",
    "figure{margin:1.5em 0}figcaption,.legend{font-size:.9em;margin:.3em "
    "0}img{max-width:100%;height:auto}svg{width:100%;height:auto}\n",
    "svg text{font-size:120px;fill:currentColor}.middle{text-anchor:middle}.end{text-anchor:end}\n",
    ".grid{stroke:var(--faint);stroke-width:6}.line{fill:none;stroke:currentColor;stroke-width:16;stroke-linejoin:"
    "round}.line."
    "dashed{stroke-dasharray:60 "
    "40}circle{fill:currentColor}\n",
    ".legend span{margin-right:1.2em}.legend "
    "span::before{content:'';display:inline-block;width:1.4em;margin-right:.4em;border-top:3px solid;vertical-"
    "align:middle}.legend .dashed::before{border-top-style:dashed}\n",
    PL_REPORT_COLORS "\n",
    ".warning{border-left:4px solid var(--warn);padding:.4em .8em;background:#e69f0018}nav a{margin-right:1em}\n",
    "</style>\n<script>\n",
    "function play(id,rate){const "
    "f=document.getElementById(id),i=f.querySelectorAll('img'),r=f.querySelector('input'),b=f.querySelector('button');"
    "\n",
    "let n=0,on=true;const "
    "show=k=>{i[n].hidden=true;n=k;i[n].hidden=false;r.value=n};r.oninput=()=>{on=false;b.textContent='Play';show(+r."
    "value)};\n",
    "b.onclick=()=>{on=!on;b.textContent=on?'Stop':'Play'};setInterval(()=>{if(on)show((n+1)%i.length)},1000/rate);}\n",
    "addEventListener('DOMContentLoaded',()=>{const n=document.querySelector('nav');for(const h of "
    "document.querySelectorAll('h2')){\n",
    "const a=document.createElement('a');a.href='#'+h.id;a.textContent=h.textContent;n.append(a);}});\n",
    "</script>\n",
};

void pl_report_write_text(pl_report *report, const char *text) {
  for (; text != NULL && *text != '\0'; ++text) {
    const char *entity = *text == '<'   ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '&' ? "&amp;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
    if (entity != NULL)
      pl_file_writer_write(report->writer, entity, strlen(entity));
    else
      pl_file_writer_write(report->writer, text, 1);
  }
}

pl_status pl_report_create(pl_context *context, const char *path, const char *title, pl_report **report,
                           pl_error *error) {
  *report = NULL;
  pl_report *self = pl_allocate(context, sizeof *self);
  if (self == NULL) return pl_fail_memory(error);
  *self = (pl_report){.context = context};
  pl_status status = pl_file_writer_open(context, path, &self->writer, error);
  if (status < 0) {
    pl_release(context, self);
    return status;
  }
  pl_file_writer_print(self->writer, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
  pl_file_writer_print(self->writer,
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
  pl_report_write_text(self, title);
  pl_file_writer_print(self->writer, "</title>\n");
  for (size_t i = 0; i < sizeof head / sizeof head[0]; ++i)
    pl_file_writer_write(self->writer, head[i], strlen(head[i]));
  pl_file_writer_print(self->writer, "</head><body>\n<h1>");
  pl_report_write_text(self, title);
  pl_file_writer_print(self->writer, "</h1>\n<nav></nav>\n");
  *report = self;
  return PL_OK;
}

void pl_report_heading(pl_report *report, const char *text) {
  pl_file_writer_print(report->writer, "<h2 id=\"part-%d\">", ++report->heading_count);
  pl_report_write_text(report, text);
  pl_file_writer_print(report->writer, "</h2>\n");
}

void pl_report_text(pl_report *report, const char *text) {
  pl_file_writer_print(report->writer, "<p>");
  pl_report_write_text(report, text);
  pl_file_writer_print(report->writer, "</p>\n");
}

void pl_report_warning(pl_report *report, const char *text) {
  pl_file_writer_print(report->writer, "<p class=\"warning\">");
  pl_report_write_text(report, text);
  pl_file_writer_print(report->writer, "</p>\n");
}

static bool begins_like_a_number(const char *text) {
  if (text[0] == '-' || text[0] == '+' || text[0] == '.') ++text;
  return text[0] >= '0' && text[0] <= '9';
}

void pl_report_table(pl_report *report, const char *caption, const char *const *columns, int32_t column_count,
                     int64_t row_count, const char *const *cells) {
  pl_file_writer_print(report->writer, "<table><caption>");
  pl_report_write_text(report, caption);
  pl_file_writer_print(report->writer, "</caption><tr>");
  for (int32_t k = 0; k < column_count; ++k) {
    pl_file_writer_print(report->writer, "<th>");
    pl_report_write_text(report, columns[k]);
    pl_file_writer_print(report->writer, "</th>");
  }
  pl_file_writer_print(report->writer, "</tr>\n");
  for (int64_t row = 0; row < row_count; ++row) {
    pl_file_writer_print(report->writer, "<tr>");
    for (int32_t k = 0; k < column_count; ++k) {
      const char *cell = cells[row * column_count + k];
      pl_file_writer_print(report->writer, begins_like_a_number(cell) ? "<td class=\"n\">" : "<td>");
      pl_report_write_text(report, cell);
      pl_file_writer_print(report->writer, "</td>");
    }
    pl_file_writer_print(report->writer, "</tr>\n");
  }
  pl_file_writer_print(report->writer, "</table>\n");
}

static void fail(pl_report *report, pl_status status) {
  if (report->status >= 0) report->status = status;
}

// A picture as an image whose data stand in its address.
static void write_image(pl_report *report, const char *caption, const uint8_t *rgb, int32_t width, int32_t height,
                        bool hidden) {
  pl_vector bytes = pl_vector_of(report->context, 1);
  pl_error error = {0};
  pl_status status = pl_png_encode(report->context, rgb, width, height, PL_PNG_RGB8, &bytes, &error);
  size_t length = pl_base64_length(bytes.count);
  char *text = status < 0 ? NULL : pl_allocate(report->context, length);
  if (status >= 0 && text == NULL) status = pl_fail_memory(&error);
  if (status >= 0) {
    pl_base64_write(bytes.items, bytes.count, text);
    pl_file_writer_print(report->writer, "<img width=\"%d\" height=\"%d\"%s alt=\"", width, height,
                         hidden ? " hidden" : "");
    pl_report_write_text(report, caption);
    pl_file_writer_print(report->writer, "\" src=\"data:image/png;base64,");
    pl_file_writer_write(report->writer, text, length);
    pl_file_writer_print(report->writer, "\">\n");
  } else if (report->status >= 0) {
    report->error = error;
    fail(report, status);
  }
  pl_release(report->context, text);
  pl_vector_free(&bytes);
}

static void end_figure(pl_report *report, const char *caption) {
  pl_file_writer_print(report->writer, "<figcaption>");
  pl_report_write_text(report, caption);
  pl_file_writer_print(report->writer, "</figcaption></figure>\n");
}

void pl_report_picture(pl_report *report, const char *caption, const uint8_t *rgb, int32_t width, int32_t height) {
  pl_file_writer_print(report->writer, "<figure>");
  write_image(report, caption, rgb, width, height, false);
  end_figure(report, caption);
}

void pl_report_clip(pl_report *report, const pl_report_frames *frames) {
  if (report->status < 0 || frames->count < 1) return;
  uint8_t *rgb = pl_allocate(report->context, (size_t)frames->width * (size_t)frames->height * 3);
  if (rgb == NULL) {
    fail(report, pl_fail_memory(&report->error));
    return;
  }
  int32_t number = ++report->clip_count;
  pl_file_writer_print(report->writer, "<figure id=\"clip-%d\">", number);
  for (int32_t i = 0; i < frames->count && report->status >= 0; ++i) {
    fail(report, frames->draw(frames->user, i, rgb, &report->error));
    if (report->status >= 0) write_image(report, frames->caption, rgb, frames->width, frames->height, i > 0);
  }
  pl_file_writer_print(
      report->writer,
      "<br><button>Stop</button> <input type=\"range\" min=\"0\" max=\"%d\" value=\"0\" aria-label=\"frame\">",
      frames->count - 1);
  end_figure(report, frames->caption);
  pl_file_writer_print(report->writer, "<script>play('clip-%d',", number);
  pl_file_writer_number(report->writer, frames->rate);
  pl_file_writer_print(report->writer, ")</script>\n");
  pl_release(report->context, rgb);
}

pl_status pl_report_close(pl_report *report, pl_error *error) {
  pl_status status = report->status;
  if (status < 0) {
    if (error != NULL) *error = report->error;
    pl_report_abandon(report);
    return status;
  }
  pl_file_writer_print(report->writer, "</body></html>\n");
  status = pl_file_writer_commit(report->writer, error);
  pl_release(report->context, report);
  return status;
}

void pl_report_abandon(pl_report *report) {
  if (report == NULL) return;
  pl_file_writer_abandon(report->writer);
  pl_release(report->context, report);
}
