// An embedding as a CSV file.
#include "io/file_bytes.h"
#include "report/report_export.h"

pl_status pl_embedding_save(pl_context *context, const char *path, const pl_embedding *embedding, pl_error *error) {
  pl_file_writer *writer = NULL;
  pl_status status = pl_file_writer_open(context, path, &writer, error);
  if (status < 0) return status;
  pl_embedding_view view = pl_embedding_get_view(embedding);
  pl_file_writer_print(writer, "point,parent_0,parent_1,parent_2,parent_3,weight_0,weight_1,weight_2,weight_3\n");
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_file_writer_print(writer, "%d", i);
    for (int k = 0; k < 4; ++k) pl_file_writer_print(writer, ",%d", view.parents[4 * i + k]);
    for (int k = 0; k < 4; ++k) {
      pl_file_writer_print(writer, ",");
      pl_file_writer_number(writer, (double)view.weights[4 * i + k]);
    }
    pl_file_writer_print(writer, "\n");
  }
  return pl_file_writer_commit(writer, error);
}
