#include "leaving.hpp"

#include "wire.hpp"

namespace evencube::detail {

bool rank_leaving::advance() {
  bool urgent = false;
  {
    const data_lock lock(core_.mutex);
    if (work_.crew().closed && !departure_->leaves()) departure_->leave(calls_.taken_part());
    urgent = calls_.take_urgency();
  }
  std::vector<departure::outgoing> out;
  departure_->advance(mail_.sent(), out);
  if (departure_->is_silent()) mail_.fall_silent();
  if (!departure_->has_news()) {
    news_since_.reset();
  } else {
    const auto now = clock::now();
    if (!news_since_) news_since_ = now;
    if (urgent || now - *news_since_ >= news_wait_) {
      departure_->tell_news(out);
      news_since_.reset();
      news_wait_ *= 2;
    }
  }
  send(out);
  return departure_->is_over(mail_.received());
}

void rank_leaving::handle(byte_reader& in) {
  const auto said = departure::message::read(in);
  {
    const data_lock lock(core_.mutex);
    for (const auto& [rank, calls] : said.leavers) calls_.rank_leaves(rank, calls);
    work_.notify_all();
  }
  std::vector<departure::outgoing> out;
  departure_->receive(said, out);
  send(out);
}

void rank_leaving::send(const std::vector<departure::outgoing>& what) {
  for (const auto& [to, message] : what) {
    byte_writer out;
    out.put(wire::leave);
    message.write(out);
    mail_.post_uncounted(to, out);
  }
}

}  // namespace evencube::detail
